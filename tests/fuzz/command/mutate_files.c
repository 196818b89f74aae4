/* SPDX-License-Identifier: BSD-3-Clause */
/* mutate_files.c - changes ELF files, index files, count files, jitdump files and texts. */
#include <elf.h>
#include <string.h>

#include "base/digest.h"
#include "decoder/index/file.h"
#include "files/countfile/countfile_int.h"
#include "fuzz/command/mutate.h"
#include "fuzz/fuzz_input.h"

struct area {
	size_t at, size;
};

/* A section of this kind, or nothing. */
static struct area section(struct blob *b, const Elf64_Ehdr *e, uint32_t type)
{
	unsigned int tries, i;
	Elf64_Shdr s;

	for (tries = 0; tries < 32 && e->e_shnum; tries++) {
		i = blob_random(b, e->e_shnum);
		if (e->e_shoff > b->len || b->len - e->e_shoff < (i + 1u) * sizeof(s))
			continue;
		memcpy(&s, b->p + e->e_shoff + i * sizeof(s), sizeof(s));
		if ((type == SHT_NULL || s.sh_type == type) && s.sh_offset < b->len && s.sh_size <= b->len - s.sh_offset)
			return (struct area){ (size_t)s.sh_offset, (size_t)s.sh_size };
	}
	return (struct area){ 0, 0 };
}

static struct area table(const struct blob *b, uint64_t at, uint64_t n, size_t size)
{
	if (at >= b->len)
		return (struct area){ 0, 0 };
	n = n * size < b->len - at ? n * size : b->len - at;
	return (struct area){ (size_t)at, (size_t)n };
}

bool mutate_elf(struct blob *b)
{
	struct area a = { 0, 0 };
	Elf64_Ehdr e;

	if (b->len < sizeof(e) || memcmp(b->p, ELFMAG, SELFMAG) || b->p[EI_CLASS] != ELFCLASS64)
		return false;
	memcpy(&e, b->p, sizeof(e));
	switch (blob_random(b, 8)) {
	case 0:
		a = (struct area){ EI_CLASS, sizeof(e) - EI_CLASS };
		break;
	case 1: case 2:
		a = table(b, e.e_phoff, e.e_phnum, sizeof(Elf64_Phdr));
		break;
	case 3:
		a = table(b, e.e_shoff, e.e_shnum, sizeof(Elf64_Shdr));
		break;
	case 4:
		a = section(b, &e, SHT_SYMTAB);
		break;
	case 5:
		a = section(b, &e, SHT_NOTE);
		break;
	case 6:
		a = section(b, &e, SHT_STRTAB);
		break;
	case 7:
		a = section(b, &e, SHT_NULL);
		break;
	}
	if (!a.size)
		a = (struct area){ 0, b->len };
	if (blob_random(b, 4))
		blob_number(b, a.at, a.size);
	else
		blob_bytes(b, a.at, a.size);
	return true;
}

/* The checksum is put right: nothing behind it would be read otherwise. */
bool mutate_index(struct blob *b)
{
	if (b->len < INDEX_HEADER || blob_get(b, 0, 8) != INDEX_MAGIC)
		return false;
	if (!blob_random(b, 4))
		b->len = INDEX_HEADER + LLVMFuzzerMutate(b->p + INDEX_HEADER, b->len - INDEX_HEADER, b->cap - INDEX_HEADER);
	else if (b->len > INDEX_HEADER)
		blob_bytes(b, INDEX_HEADER, b->len - INDEX_HEADER);
	blob_put(b, INDEX_LENGTH_AT, 8, b->len);
	blob_put(b, INDEX_SUM_AT, 8, cst_index_sum(b->p, b->len));
	return true;
}

/* The content of a block changes, and the digests of it and of those behind it. */
bool mutate_counts(struct blob *b)
{
	size_t at, len, first = FILE_HEADER;
	uint64_t digest = DIGEST_START;

	if (b->len < FILE_HEADER + BLOCK_HEADER || memcmp(b->p, cst_count_file_header, FILE_HEADER))
		return false;
	while (blob_random(b, 2) && first + BLOCK_HEADER < b->len)
		first += BLOCK_HEADER + (size_t)blob_get(b, first, 2);
	for (at = FILE_HEADER; at + BLOCK_HEADER < b->len; at += BLOCK_HEADER + len) {
		len = (size_t)blob_get(b, at, 2);
		len = len ? len : END_CONTENT;
		if (len > b->len - at - BLOCK_HEADER)
			break;
		if (at == first)
			blob_bytes(b, at + BLOCK_HEADER, len);
		digest = cst_digest_bytes(digest, b->p + at + BLOCK_HEADER, len);
		blob_put(b, at + 4, 8, digest);
	}
	return true;
}

/* File header: magic, version, size of the header; records: number, size, time. */
bool mutate_jitdump(struct blob *b)
{
	size_t at[256], size, from;
	uint8_t copy[4096];
	unsigned int n = 0;

	if (b->len < 40 || (blob_get(b, 0, 4) != 0x4a695444 && blob_get(b, 0, 4) != 0x4454694a))
		return false;
	for (from = (size_t)blob_get(b, 8, 4); from + 16 <= b->len && n < 256; from += size) {
		size = (size_t)blob_get(b, from + 4, 4);
		if (size < 16 || size > b->len - from)
			break;
		at[n++] = from;
	}
	if (!n || !blob_random(b, 10)) {
		blob_number(b, 0, 40);
		return true;
	}
	from = at[blob_random(b, n)];
	size = (size_t)blob_get(b, from + 4, 4);
	switch (blob_random(b, 5)) {
	case 0:
		blob_splice(b, from, size, NULL, 0);
		break;
	case 1:
		if (size > sizeof(copy))
			break;
		memcpy(copy, b->p + from, size);
		blob_splice(b, at[blob_random(b, n)], 0, copy, size);
		break;
	case 2:
		blob_bytes(b, from, size);
		break;
	default:
		blob_number(b, from, size < 72 ? size : 72);
	}
	return true;
}

static struct area line_at(const struct blob *b, size_t at)
{
	size_t start = at, end = at;

	while (start && b->p[start - 1] != '\n')
		start--;
	while (end < b->len && b->p[end] != '\n')
		end++;
	return (struct area){ start, end + (end < b->len) - start };
}

/* A word, up to a separator, at or behind a place in the text. */
static struct area word_at(const struct blob *b, size_t at)
{
	static const char separators[] = " \t\n=,()[]:";
	size_t end;

	while (at < b->len && memchr(separators, b->p[at], sizeof(separators)))
		at++;
	while (at && at <= b->len && !memchr(separators, b->p[at - 1], sizeof(separators)))
		at--;
	for (end = at; end < b->len && !memchr(separators, b->p[end], sizeof(separators)); )
		end++;
	return (struct area){ at, end - at };
}

static void put_word(struct blob *b, struct area at)
{
	static const char *const words[] = { "0", "-1", "1", "0xffffffffffffffff", "18446744073709551615", "0x100000000", "", "x", "A",
					     "START", "END", "true", "false", "ffffffc008000000", "t", "T", "[first]", "\x1b[2J" };
	struct area other = word_at(b, blob_random(b, (uint32_t)b->len));
	const char *word = words[blob_random(b, sizeof(words) / sizeof(words[0]))];
	uint8_t copy[256];

	if (blob_random(b, 2)) {
		blob_splice(b, at.at, at.size, (const uint8_t *)word, strlen(word));
	} else if (other.size <= sizeof(copy)) {
		memcpy(copy, b->p + other.at, other.size);
		blob_splice(b, at.at, at.size, copy, other.size);
	}
}

bool mutate_text(struct blob *b)
{
	struct area line, to;
	uint8_t copy[512];
	size_t i;

	if (b->len < 4 || b->len > UINT32_MAX)
		return false;
	for (i = 0; i < 4; i++)
		if (b->p[i] != '\n' && b->p[i] != '\t' && (b->p[i] < 0x20 || b->p[i] > 0x7e))
			return false;
	line = line_at(b, blob_random(b, (uint32_t)b->len));
	to = line_at(b, blob_random(b, (uint32_t)b->len));
	switch (blob_random(b, 8)) {
	case 0:
		blob_splice(b, line.at, line.size, NULL, 0);
		break;
	case 1:
		if (line.size > sizeof(copy))
			break;
		memcpy(copy, b->p + line.at, line.size);
		blob_splice(b, to.at, 0, copy, line.size);
		break;
	case 2:
		blob_bytes(b, line.at, line.size);
		break;
	default:
		put_word(b, word_at(b, blob_random(b, (uint32_t)b->len)));
	}
	return true;
}
