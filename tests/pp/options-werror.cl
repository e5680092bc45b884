// options: -Werror
#warning now an error
// log:
//  test.cl:2:2: error: now an error [-Werror,-W#warnings]
//  #warning now an error
//   ^
//  1 error generated.
