/* The state of the small MPI library that its files share. */
extern int is_initialized;
extern int started; /* handles of its own variables that were started */
