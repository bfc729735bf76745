/**
 * The EICAR test file, which every scanner detects as malware and which does nothing. Assembled here, so that no file
 * of this repository is detected.
 */
export const EICAR = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR', 'STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join('-');

/** The name in our own signature; clamd appends that the signature is unofficial. */
export const EICAR_NAME = 'Eicar-Test-Signature';

/** A signature file, to be named `*.ndb`, that finds the test file at any place of anything. */
export function eicarSignatureFile(): string {
  return `${EICAR_NAME}:0:*:${Buffer.from(EICAR, 'latin1').toString('hex')}\n`;
}
