import { createServer, type RequestListener, type Server } from 'node:http';
import type { StaffMember } from '../identity/token-issuer.ts';
import { loginUrl } from './clients.ts';

/**
 * Where staff log in to a local stack, on this machine only. There is nothing to prove: anyone who reaches the page can
 * log in under any name. An identity provider does this elsewhere. `identity` is the folder of the stack's issuer. What
 * it answers with is loaded by its first request: hardly any stack has one, and each would hold it in memory.
 */
export function loginServer(port: number, identity: string): Server {
  let opened: Promise<RequestListener> | undefined;
  return createServer((request, response) => {
    opened ??= openLogin(port, identity);
    opened.then(
      (answer) => answer(request, response),
      (error: unknown) => {
        opened = undefined;
        console.error(
          `cannot open the login page: ${error instanceof Error ? error.message : String(error)}`,
        );
        response.writeHead(500).end();
      },
    );
  });
}

async function openLogin(port: number, identity: string): Promise<RequestListener> {
  const [{ openTokenIssuer }, { deviceLogins }, { codeLogins }, { answerLogin }] = await Promise.all([
    import('../identity/token-issuer.ts'),
    import('./device-logins.ts'),
    import('./code-logins.ts'),
    import('./endpoints.ts'),
  ]);
  const { staffTokenOf, idTokenOf } = await openTokenIssuer(identity);
  const origin = loginUrl(port);
  const means = {
    issue: staffTokenOf,
    identify: ({ name }: StaffMember, clientId: string, nonce: string) =>
      idTokenOf({ issuer: origin, subject: name, clientId, nonce }),
    now: Date.now,
  };
  return answerLogin(origin, { devices: deviceLogins(means), browsers: codeLogins(means) });
}
