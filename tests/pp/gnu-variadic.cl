// GNU's named variadic parameters and ", ## __VA_ARGS__"
#define LOG(format, ...) printf(format, ##__VA_ARGS__)
#define NAMED(format, args...) printf(format, ##args) [args]
#define ALL(...) printf(fixed, ##__VA_ARGS__)
LOG("x") LOG("x",) LOG("x", 1, 2) LOG("x", LOG("y", 1))
NAMED("x") NAMED("x", 1, 2)
ALL() ALL(1) ALL(1, 2)
#define PLAIN(...) __VA_ARGS__ again __VA_ARGS__
PLAIN(a, b) PLAIN()
__VA_ARGS__
// expect:
// printf("x") printf("x",) printf("x",1, 2) printf("x",LOG("y", 1))
// printf("x") [] printf("x",1, 2) [1, 2]
// printf(fixed,) printf(fixed,1) printf(fixed,1, 2)
// a, b again a, b again
// __VA_ARGS__
