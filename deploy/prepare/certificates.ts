import { issue, newAuthority } from '../local/identity/make-certificates.ts';
import type { Prepared } from './prepared.ts';
import { hostsOf, PROCESSES } from './processes.ts';
import { PROGRAM } from './program.ts';

const AUTHORITY_DAYS = 3_650;
/** As long as public authorities may at most. */
const DAYS = 397;

/** The same with an authority, and a certificate for each process that has none. */
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

/** The same with other certificates of the same authority. Throws where there is none. */
export function withNewCertificates(prepared: Prepared): Promise<Prepared> {
  const { certificates } = prepared;
  if (!certificates)
    throw new Error(`no certificates were prepared: ${PROGRAM} write --certificates makes them`);
  return withCertificates({ ...prepared, certificates: { ...certificates, issued: {} } });
}
