export declare const projects: Readonly<Record<string, readonly string[]>>;
