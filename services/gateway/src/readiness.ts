import { Code, ConnectError } from '@connectrpc/connect';
import { createRpcClient, type RpcAccess } from '@supplier/lib/rpc/rpc-client';
import type { Readiness } from '@supplier/lib/runtime/service-runtime';
import { Health, HealthCheckResponse_ServingStatus as Serving } from '@supplier/proto/grpc/health';

/** Shorter than the timeout of probes. */
const ANSWER_MS = 1_000;
/** Minimum interval between checks of the services, regardless of how often the gateway is probed. */
const EVERY_MS = 2_000;

/** Services that a gateway calls: what fails without each, and whether the gateway needs it to become ready. */
const CALLED = {
  account: { without: 'requests cannot be authenticated', isNeeded: true },
  submission: { without: 'submissions cannot be created or read', isNeeded: true },
  document: { without: 'documents cannot be uploaded', isNeeded: false },
} as const;
type Called = keyof typeof CALLED;
const NAMES = Object.keys(CALLED) as Called[];

/**
 * Creates the readiness check of the services that a gateway calls. A new gateway becomes ready once every essential
 * service has responded, so that a rollout stops at a gateway that cannot reach them. After that it stays ready and
 * returns 503 to suppliers while a service is lost. Missing services are named in both cases.
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
      ? 'does not respond'
      : `cannot be called (${Code[code]})`;
  }
}
