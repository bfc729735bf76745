import { Code, ConnectError } from '@connectrpc/connect';
import { createRpcClient, type RpcAccess } from '@supplier/lib/rpc/rpc-client';
import type { Readiness } from '@supplier/lib/runtime/service-runtime';
import { Health, HealthCheckResponse_ServingStatus as Serving } from '@supplier/proto/grpc/health';

/** Shorter than probes wait. */
const ANSWER_MS = 1_000;
/** How often services are asked at most, however often the gateway is. */
const EVERY_MS = 2_000;

/** The services that a gateway calls: what does not work without one, and whether nothing does. */
const CALLED = {
  account: { without: 'no request is authenticated', isNeeded: true },
  submission: { without: 'no submission is taken or read', isNeeded: true },
  document: { without: 'no document is taken', isNeeded: false },
} as const;
type Called = keyof typeof CALLED;
const NAMES = Object.keys(CALLED) as Called[];

/**
 * Makes the check whether the services that a gateway calls work. A new gateway is not ready before those without which it
 * can do nothing have answered once: a rollout stops at one that cannot reach them. After that it stays ready, and answers
 * suppliers with 503 while one is lost; what it lacks is named in both cases.
 */
export function serviceReadiness(
  urls: Readonly<Record<Called, string>>,
  access: RpcAccess,
  { everyMs = EVERY_MS }: { readonly everyMs?: number } = {},
): () => Promise<Readiness> {
  const clients = NAMES.map((name) => {
    const { check } = createRpcClient(Health, {
      ...{ baseUrl: urls[name], audience: name, timeoutMs: ANSWER_MS },
      ...access,
    });
    return { name, check };
  });
  const answered = new Set<Called>();
  let last: { readonly at: number; readonly readiness: Promise<Readiness> } | undefined;

  async function look(): Promise<Readiness> {
    const lacks = await Promise.all(
      clients.map(async ({ name, check }) => {
        const lack = await lackOf(() => check({}));
        if (lack === undefined) answered.add(name);
        return lack && `the ${name} service ${lack}: ${CALLED[name].without}`;
      }),
    );
    const found = lacks.filter((lack) => lack !== undefined);
    return {
      ready: NAMES.every((name) => answered.has(name) || !CALLED[name].isNeeded),
      ...(found.length > 0 && { lacks: found.join('; ') }),
    };
  }

  return () => {
    const at = performance.now();
    if (!last || at - last.at >= everyMs) last = { at, readiness: look() };
    return last.readiness;
  };
}

async function lackOf(check: () => Promise<{ readonly status: Serving }>): Promise<string | undefined> {
  try {
    const { status } = await check();
    return status === Serving.SERVING ? undefined : 'is not ready';
  } catch (error) {
    const { code } = ConnectError.from(error);
    return code === Code.Unavailable || code === Code.DeadlineExceeded
      ? 'does not answer'
      : `cannot be called (${Code[code]})`;
  }
}
