#include "cli/compat_log.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/str.h"
#include "cli/terminal.h"

#include <errno.h>

static FILE *open_log(const char *folder, const char *name)
{
    struct nadi_str path = NADI_STR_INIT;
    nadi_str_printf(&path, "%s/%s", folder, name);
    FILE *file = fopen(nadi_str_get(&path), "a");
    if (!file)
        fprintf(stderr, "%s: error[file/write]: %s\n", nadi_str_get(&path), strerror(errno));
    nadi_str_release(&path);
    return file;
}

bool nadi_compat_log_open(struct nadi_compat_log *log, const char *folder)
{
    struct nadi_diags *diags = nadi_terminal_must(nadi_messages_create());
    const bool made = nadi_file_make_folder(folder, diags);
    nadi_terminal_messages(diags, 0, true);
    nadi_messages_destroy(diags);
    log->all = made ? open_log(folder, "log.log") : NULL;
    log->errors = log->all ? open_log(folder, "err.log") : NULL;
    if (log->all && !log->errors)
        fclose(log->all);
    return log->errors != NULL;
}

static void format_date(char date[64])
{
    struct timespec now;
    struct tm local;
    clock_gettime(CLOCK_REALTIME, &now);
    localtime_r(&now.tv_sec, &local);
    char seconds[32];
    strftime(seconds, sizeof(seconds), "%Y-%m-%d %H:%M:%S", &local);
    snprintf(date, 64, "[%s.%03ld] ", seconds, now.tv_nsec / 1000000);
}

void nadi_compat_log_lines(struct nadi_compat_log *log, const char *lines)
{
    char date[64];
    format_date(date);
    while (*lines) {
        const int length = (int)strcspn(lines, "\n");
        printf("%s%.*s\n", date, length, lines);
        fprintf(log->all, "%s%.*s\n", date, length, lines);
        lines += length;
        lines += *lines == '\n';
    }
}

void nadi_compat_log_errors(struct nadi_compat_log *log, const struct nadi_diags *messages)
{
    char date[64];
    format_date(date);
    for (size_t i = 0; i < nadi_messages_count(messages); i++) {
        if (nadi_messages_get(messages, i).level != NADI_LEVEL_ERROR)
            continue;
        char *text = nadi_terminal_must(nadi_message_format(messages, i));
        fprintf(log->all, "%s[system] [critical] %s", date, text);
        fprintf(log->errors, "%s[system] [critical] %s", date, text);
        nadi_free(text);
    }
}

bool nadi_compat_log_close(struct nadi_compat_log *log)
{
    bool good = !ferror(log->all) && !ferror(log->errors);
    good &= fclose(log->all) == 0;
    good &= fclose(log->errors) == 0;
    if (!good)
        fprintf(stderr, "error[file/write]: the log files are incomplete: %s\n", strerror(errno));
    return good;
}
