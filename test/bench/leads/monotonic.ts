const NS_PER_MS = 1_000_000;

/** Returns milliseconds on a clock that never jumps and that all processes of this machine share. */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / NS_PER_MS;
