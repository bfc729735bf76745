export declare function cachesWithout(home: string): Readonly<Record<string, string>>;
