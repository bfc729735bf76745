export interface Totals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export declare function totalsOf(...folders: string[]): Totals;
export declare function failedFiles(outputFile: string): string[];
