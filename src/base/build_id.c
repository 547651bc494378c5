#include "base/build_id.h"

#include <link.h>

struct search {
    uintptr_t code; /* an address of ours */
    uint8_t *id;
    size_t length;
};

static size_t padded(size_t n)
{
    return (n + 3) & ~(size_t)3;
}

/* The note of the build among those of a segment. */
static void read_notes(struct search *s, const uint8_t *at, size_t bytes)
{
    ElfW(Nhdr) note;
    while (s->length == 0 && bytes >= sizeof(note)) {
        memcpy(&note, at, sizeof(note));
        const size_t name = padded(note.n_namesz), whole = name + padded(note.n_descsz);
        if (whole > bytes - sizeof(note))
            return;
        const uint8_t *text = at + sizeof(note);
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(text, "GNU", 4) == 0 &&
            note.n_descsz <= NADI_BUILD_ID_BYTES) {
            s->length = note.n_descsz;
            memcpy(s->id, text + name, s->length);
        }
        at += sizeof(note) + whole;
        bytes -= sizeof(note) + whole;
    }
}

static int look(struct dl_phdr_info *module, size_t size, void *context)
{
    struct search *s = context;
    bool ours = false;
    (void)size;
    for (size_t i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &module->dlpi_phdr[i];
        const uintptr_t begin = module->dlpi_addr + p->p_vaddr;
        ours |= p->p_type == PT_LOAD && s->code >= begin && s->code - begin < p->p_memsz;
    }
    for (size_t i = 0; ours && i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &module->dlpi_phdr[i];
        if (p->p_type == PT_NOTE)
            read_notes(s, (const uint8_t *)(module->dlpi_addr + p->p_vaddr), p->p_memsz);
    }
    return ours;
}

size_t nadi_build_id(uint8_t id[NADI_BUILD_ID_BYTES])
{
    struct search s = {.code = (uintptr_t)&nadi_build_id, .id = id};
    (void)dl_iterate_phdr(look, &s);
    return s.length;
}
