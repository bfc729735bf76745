export interface Totals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface FileResult {
  readonly file: string;
  readonly passed: number;
  readonly failures: readonly string[];
  readonly skipped: number;
}

export declare function repeatedFolder(folder: string): string;
export declare function failedFiles(folder: string, run?: string): readonly string[];
export declare function finishedIn(folder: string, run: string): readonly FileResult[];
export declare function takeOver(earlier: string, later: string, runs: readonly string[]): void;
export declare function totalsOf(folder: string): Totals;
export declare function describeFailures(folder: string): string;
export declare function describeUntested(folder: string): string;
