/**
 * The EICAR test file, which every scanner takes for malware and which does nothing. Put together here, so that no file
 * of this repository is taken for it.
 */
export const EICAR = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR', 'STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join('-');

/** The name that our own signature gives it; clamd adds that it is not an official one. */
export const EICAR_NAME = 'Eicar-Test-Signature';

/** A signature file, to be named `*.ndb`, that finds the test file at any place of anything. */
export function eicarSignatureFile(): string {
  return `${EICAR_NAME}:0:*:${Buffer.from(EICAR, 'latin1').toString('hex')}\n`;
}
