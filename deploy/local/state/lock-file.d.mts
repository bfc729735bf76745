/** Distinguishes a process from a later one with the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startedAt: string;
}
export declare function takeLockFile(
  path: string,
): { readonly release: () => void } | { readonly owner: ProcessIdentity | undefined };
export declare function ownerOf(path: string): ProcessIdentity | undefined;
export declare function identify(pid: number): ProcessIdentity | undefined;
export declare function isRunning(identity: ProcessIdentity): boolean;
