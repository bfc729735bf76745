/** What the command says of itself, which is called by this name. */
export function prepareHelp(program: string): string;
