export declare function observeProgram(
  command: string,
  args: readonly string[],
  options: {
    readonly cwd: string;
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly withinMs?: number;
    readonly group?: boolean;
  },
): Promise<{ readonly code: number; readonly output: string; readonly reason: string }>;
