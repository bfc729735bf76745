import { issue, newAuthority } from '../local/identity/make-certificates.ts';
import type { Prepared } from './prepared.ts';
import { hostsOf, PROCESSES, PROGRAM } from './processes.ts';

const AUTHORITY_DAYS = 3_650;
/** The maximum for public CAs. */
const DAYS = 397;

/** Adds a CA, and a certificate for each process that has none. */
export async function withCertificates(prepared: Prepared): Promise<Prepared> {
  const { release, namespace, certificates } = prepared;
  const authority =
    certificates?.authority ?? (await newAuthority(`${release} in ${namespace}`, AUTHORITY_DAYS));
  const issued = { ...certificates?.issued };
  for (const process of PROCESSES) {
    const [name, ...alsoNames] = hostsOf(release, namespace, process);
    issued[process] ??= await issue(authority, { name, alsoNames, asClient: true }, DAYS);
  }
  return { ...prepared, certificates: { authority, issued } };
}

/** Issues new certificates of the same CA. Throws if there is none. */
export function withNewCertificates(prepared: Prepared): Promise<Prepared> {
  const { certificates } = prepared;
  if (!certificates)
    throw new Error(`there are no certificates: create them with ${PROGRAM} write --certificates`);
  return withCertificates({ ...prepared, certificates: { ...certificates, issued: {} } });
}
