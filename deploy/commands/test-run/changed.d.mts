export declare function changedSince(ref: string, cwd?: string): Promise<string[]>;
export declare function testsReachedBy(
  machine: {
    readonly root: string;
    readonly node: string;
    readonly nodeFlags: readonly string[];
    readonly env: NodeJS.ProcessEnv;
  },
  files: readonly string[],
): Promise<{ readonly tests: string[]; readonly line: string }>;
