// The lattice-Boltzmann step in a cavity of 120 x 120 x 150 cells.

#define WIDTH 120
#define HEIGHT 120
#define PITCH 2189056
#include "../lbm.cu"
