import { join } from 'node:path';
import type { RunningStack } from '../../bring-up.ts';
import { partCertificates } from '../../identity/certificates.ts';
import { tokenFolder } from '../../identity/token-issuer.ts';
import { nodeRuntime } from '../../services/node-runtime.ts';
import { runToEnd } from '../../supervisor/run-to-end.ts';
import { urlOf } from '../databases.ts';
import type { Stage } from '../stage.ts';

const WITHIN_MS = 120_000;

/** Runs a service's reconcile, as an operator does; resolves to its exit code and what it said last. */
export async function reconcile(
  service: 'billing' | 'webhook',
  { state, checkout, secure }: Stage,
  stack: RunningStack,
  since: Date,
): Promise<{ code: number; said: string }> {
  const node = nodeRuntime(checkout);
  const program = join(checkout, 'services', service, 'src/reconcile.ts');
  const { rpcHttp1, postgres } = stack.description();
  const { code, output } = await runToEnd(
    node.command,
    // Until now: what is under way otherwise has ended by then.
    [...node.flags, program, '--since', since.toISOString(), '--until', new Date().toISOString()],
    {
      cwd: checkout,
      env: {
        ...node.env,
        SSS_DEPLOYMENT: 'local',
        SSS_DATABASE_URL: urlOf(postgres, service),
        SSS_SUBMISSION_URL: rpcHttp1.submission ?? '',
        SSS_SERVICE_TOKEN_DIR: tokenFolder(state.identity, service),
        ...(secure ? await tlsOf(service, state.certificates) : {}),
      },
      withinMs: WITHIN_MS,
    },
  );
  return { code, said: output.trim().split('\n').at(-1) ?? '' };
}

async function tlsOf(service: 'billing' | 'webhook', folder: string): Promise<Record<string, string>> {
  const { authority, certificate, key } = (await partCertificates(folder))[service];
  return { SSS_TLS_CA_FILE: authority, SSS_TLS_CERTIFICATE_FILE: certificate, SSS_TLS_KEY_FILE: key };
}
