export declare function missingForCluster(args: readonly string[]): string | undefined;
export declare const needs: readonly {
  readonly name: string;
  readonly neededBy: 'node' | 'whole' | 'tests';
  isThere(): boolean;
}[];
