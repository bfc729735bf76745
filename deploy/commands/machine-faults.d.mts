export declare function machineFault(error: unknown): string | undefined;
export declare function withMachineFault(text: string): string;
export declare function describeExit(code: number | null, signal: NodeJS.Signals | null): string;
