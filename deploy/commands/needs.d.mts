export interface Need {
  /** Of the Debian package. */
  readonly name: string;
  readonly of: readonly ('node' | 'whole' | 'tests')[];
  readonly why: string;
  isThere(): boolean;
}
export declare const needs: readonly Need[];
export declare const go: Omit<Need, 'of'>;
export declare function lacksForCluster(args: readonly string[]): string | undefined;
export declare function describeClusterNeeds(): string;
