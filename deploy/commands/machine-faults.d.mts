export declare function machineFault(error: unknown): string | undefined;
