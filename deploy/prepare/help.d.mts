/** Returns the help of the command, which is called by this name. */
export function prepareHelp(program: string): string;
