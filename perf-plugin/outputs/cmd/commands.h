/* SPDX-License-Identifier: GPL-2.0-only */
/* commands.h - entry points of the commands; each returns the exit code of the process. */
#ifndef CSTRACE_OUTPUTS_CMD_COMMANDS_H
#define CSTRACE_OUTPUTS_CMD_COMMANDS_H

int cmd_inject(int argc, const char **argv);
int cmd_script(int argc, const char **argv);
int cmd_dump(int argc, const char **argv);
int cmd_profile(int argc, const char **argv);
int cmd_timeline(int argc, const char **argv);
int cmd_report(int argc, const char **argv);
int cmd_merge(int argc, const char **argv);
int cmd_info(int argc, const char **argv);
int cmd_verify(int argc, const char **argv);
int cmd_compare(int argc, const char **argv);
int cmd_convert(int argc, const char **argv);
int cmd_index(int argc, const char **argv);
int cmd_live(int argc, const char **argv);

#endif
