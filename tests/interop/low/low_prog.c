/* SPDX-License-Identifier: BSD-3-Clause */
/* low_prog.c - firmware at address 0 with a function that the linker discards, for low_code.py. */
extern volatile int v;

int unused(int a)
{
	int i, s = 0;

	for (i = 0; i < a; i++) {
		s += v;
		v = s ^ i;
		if (s > 100)
			s -= v;
		v += 3;
	}
	return s;
}

int used(int a)
{
	v = a;
	if (a > 3)
		v += 5;
	return v;
}

volatile int v;

void start(void)
{
	int i;

	for (i = 0; i < 10; i++)
		used(i);
	for (;;)
		v = 1;
}
