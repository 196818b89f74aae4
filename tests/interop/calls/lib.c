/* SPDX-License-Identifier: BSD-3-Clause */
/* lib.c - a shared library of prog.c, which calls back. */
int library_sum(const int *v, int n, int (*f)(int));
int library_twice(int x);

/* through the linker's stub: another library may define it */
__attribute__((noinline)) int library_twice(int x)
{
	return 2 * x;
}

int library_sum(const int *v, int n, int (*f)(int))
{
	int i, sum = 0;

	for (i = 0; i < n; i++)
		sum += f(v[i]) + library_twice(i);
	return sum;
}
