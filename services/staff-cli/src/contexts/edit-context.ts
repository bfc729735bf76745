import { resolve } from 'node:path';
import type { TargetFlags } from '../connection/context.ts';
import { kubeTargetOf } from '../connection/context.ts';
import { type ContextEntry, SERVICE, type ServiceEntry } from '../connection/context-schema.ts';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import type { ServiceName } from '../services.ts';

/** Flags of `sss contexts add`. */
export interface ContextFlags extends TargetFlags {
  /** Applies the flags to this service only. */
  readonly service?: ServiceName;
  readonly url?: string;
  readonly tlsServerName?: string;
  readonly ca?: string;
  readonly clientCertificate?: string;
  readonly clientKey?: string;
  readonly loginIssuer?: string;
  readonly loginClientId?: string;
  readonly loginScope?: string;
  readonly loginAudience?: string;
}

/** Returns the context with the flags applied. Other settings are kept. Throws CommandFailure. */
export function editContext(before: ContextEntry, flags: ContextFlags): ContextEntry {
  refuseUserInformation('--url', flags.url);
  refuseUserInformation('--login-issuer', flags.loginIssuer);
  const changes = settingsOf(flags);
  const login = loginOf(before, flags);
  const kube = kubeTargetOf(flags);
  const edited = { ...before, ...(kube && { kube }), ...(login && { login }) };
  if (flags.service === undefined) return { ...edited, ...changes };
  const services = {
    ...before.services,
    [flags.service]: { ...before.services[flags.service], ...changes },
  };
  return { ...edited, services };
}

/** A password would be stored, and shown by `contexts list`; calls would not use it. */
function refuseUserInformation(flag: string, address = ''): void {
  const text = address.replaceAll(SERVICE, 'account');
  if (!URL.canParse(text)) return;
  const { username, password } = new URL(text);
  if (username !== '' || password !== '')
    throw new CommandFailure(exitCodes.usage, `${flag} must not contain a user name or a password`);
}

/** Returns the settings given for all services, or for the one that is named. Paths become absolute. */
function settingsOf({ url, tlsServerName, ca, clientCertificate, clientKey }: ContextFlags): ServiceEntry {
  return {
    ...(url !== undefined && { url }),
    ...(tlsServerName !== undefined && { serverName: tlsServerName }),
    ...(ca !== undefined && { authority: resolve(ca) }),
    ...(clientCertificate !== undefined && { certificate: resolve(clientCertificate) }),
    ...(clientKey !== undefined && { key: resolve(clientKey) }),
  };
}

function loginOf(
  { login }: ContextEntry,
  { loginIssuer, loginClientId, loginScope, loginAudience }: ContextFlags,
): ContextEntry['login'] {
  if ([loginIssuer, loginClientId, loginScope, loginAudience].every((one) => one === undefined)) return login;
  const [issuer, clientId] = [loginIssuer ?? login?.issuer, loginClientId ?? login?.clientId];
  if (issuer === undefined || clientId === undefined)
    throw new CommandFailure(
      exitCodes.usage,
      'logging in requires both --login-issuer and --login-client-id',
    );
  return {
    ...login,
    issuer,
    clientId,
    ...(loginScope !== undefined && { scope: loginScope }),
    ...(loginAudience !== undefined && { audience: loginAudience }),
  };
}
