export interface Run {
  readonly name: string;
  readonly projects: readonly string[];
  readonly needs: 'stores' | 'stack';
  readonly serial?: boolean;
  /** Overrides the default number. */
  readonly workers?: number;
  /** Time zone of the tests' processes; the machine's by default. */
  readonly zone?: string;
}

export interface Side {
  readonly name: string;
  readonly flags: readonly string[];
  readonly runs: readonly Run[];
}

export declare function planOf(tier: { all: boolean; named?: boolean }): Side[];
export declare function onlyProjects(plan: readonly Side[], asked: readonly string[]): Side[];
export declare function onRunningStack(plan: readonly Side[]): Side[];
