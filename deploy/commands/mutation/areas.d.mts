export interface Area {
  readonly name: string;
  readonly sources: readonly string[];
  readonly tests?: readonly string[];
  readonly ignoredTests?: readonly string[];
}

export declare const areas: readonly Area[];
