// C99, 6.4.6: the longest token wins; digraphs keep their spelling
a+++++b x-->y x->y...z..w
<<= >>= << >> <= >= == != && || += -= *= /= %= &= |= ^= ++ -- # ##
<: :> <% %> %: %:%: %:% <:: 
%:define DIGRAPH <: 0 :>
DIGRAPH
// expect:
// a++ ++ +b x-- >y x->y ...z . .w
// <<= >>= << >> <= >= == != && || += -= *= /= %= &= |= ^= ++ -- # ##
// <: :> <% %> %: %:%: %: % <: :
// <: 0 :>
