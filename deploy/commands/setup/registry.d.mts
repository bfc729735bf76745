export declare function unreachable(url: string): Promise<string | undefined>;
