/** Replaces `$(NAME)` by a variable's value; what is not known stays as it is, and `$$(NAME)` means `$(NAME)` itself. */
export function expand(text: string, variables: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\$\$|\$\(([^)]*)\)/g, (whole: string, name?: string) =>
    name === undefined ? '$' : (variables.get(name) ?? whole),
  );
}
