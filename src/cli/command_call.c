/* command_call: runs a command's row. */
#include "base/mem.h"
#include "cli/command.h"
#include "cli/terminal.h"

int nadi_command_execute(const struct nadi_command *command, int count, char **arguments)
{
    const struct nadi_command_call *call = &command->call;
    if (!call->make)
        return command->run(command, count, arguments);
    void *values = NADI_ZNEW(char, call->size);
    struct nadi_words words;
    int code = NADI_EXIT_USAGE;
    if (call->init)
        call->init(values);
    if (nadi_options_parse(command->name, command->options, command->max_words, count, arguments,
                           values, &words) &&
        (!call->wanted || nadi_words_wanted(command->name, &words, call->least, call->wanted))) {
        struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
        char *text = NULL;
        const enum nadi_status status = call->make(values, &words, &text, messages);
        code = call->end ? call->end(values, status, text, messages)
                         : nadi_terminal_end(status, text, messages, false);
    }
    nadi_mem_free(values);
    return code;
}
