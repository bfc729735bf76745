import type { Logger } from '@supplier/lib/log';
import type { Clock } from '@supplier/lib/time';
import type { EnvironmentName } from '../domain/environment.ts';
import { admission, type SignaturePolicy } from '../domain/scan-admission.ts';
import { scanBackoffMs } from '../domain/scan-backoff.ts';
import { type Scanner, ScannerUnavailable } from './scanner.ts';
import { trouble } from './trouble.ts';

const LOOK_EVERY_MS = 30_000;

/** Decides whose documents may be scanned at the moment. */
export interface SignatureGate {
  /** The environments whose documents may be scanned; none while the scanner is away. Never rejects. */
  admitted(): Promise<readonly EnvironmentName[]>;
  /** Says that the scanner failed at its work: nobody is admitted until it has answered again. */
  failed(err: unknown): void;
  /** Whether the scanner answered when it was last asked. */
  answers(): boolean;
}

/** Asks the scanner for its signatures at most every 30 seconds, and sooner, with a growing back-off, while it is away. */
export function signatureGate(parts: {
  readonly scanner: Scanner;
  readonly policy: SignaturePolicy;
  readonly clock: Clock;
  readonly log: Logger;
  /** Milliseconds that have passed since some moment. */
  readonly elapsedMs?: () => number;
}): SignatureGate {
  const { scanner, policy, clock, log, elapsedMs = () => performance.now() } = parts;
  const scanning = trouble(log, {
    begins: 'documents wait for their scan',
    ends: 'documents are scanned',
  });
  let environments: readonly EnvironmentName[] = [];
  let failures = 0;
  let answered = false;
  let nextLook = Number.NEGATIVE_INFINITY;

  async function look(): Promise<void> {
    try {
      const admitted = admission(await scanner.signatures(), policy, clock.now());
      ({ environments } = admitted);
      answered = true;
      failures = 0;
      nextLook = elapsedMs() + LOOK_EVERY_MS;
      if (admitted.unfit) scanning.met({ reason: describe(admitted.unfit, environments) });
      else scanning.over();
    } catch (err) {
      failed(err);
    }
  }

  function failed(err: unknown): void {
    failures += 1;
    answered = false;
    environments = [];
    nextLook = elapsedMs() + scanBackoffMs(failures);
    // The words of this error are our own, and say what is to be done.
    const reason = err instanceof ScannerUnavailable ? err.message : 'the scanner is away';
    scanning.met({ err, reason });
  }

  return {
    async admitted() {
      if (elapsedMs() >= nextLook) await look();
      return environments;
    },
    failed,
    answers: () => answered,
  };
}

function describe(unfit: string, environments: readonly EnvironmentName[]): string {
  return environments.length === 0 ? unfit : `${unfit}; only documents of the ${environments} are scanned`;
}
