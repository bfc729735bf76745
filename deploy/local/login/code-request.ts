import { CONSOLE_CLIENT } from './clients.ts';
import type { CodeRequest } from './code-logins.ts';

/** What a client asks for by the code flow; undefined unless it is the console of this machine, with PKCE. */
export function codeRequestOf(stated: URLSearchParams): CodeRequest | undefined {
  const told = (name: string) => stated.get(name) ?? '';
  const request = {
    clientId: told('client_id'),
    redirectUri: told('redirect_uri'),
    challenge: told('code_challenge'),
    nonce: told('nonce'),
  };
  const fits =
    told('response_type') === 'code' &&
    told('code_challenge_method') === 'S256' &&
    request.clientId === CONSOLE_CLIENT &&
    request.challenge !== '' &&
    isOfThisMachine(request.redirectUri);
  return fits ? request : undefined;
}

/** Whether an address is one of this machine's own: codes go to no other. */
const isOfThisMachine = (text: string): boolean =>
  URL.canParse(text) &&
  new URL(text).protocol === 'http:' &&
  ['127.0.0.1', 'localhost'].includes(new URL(text).hostname);
