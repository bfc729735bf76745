/**
 * The EICAR test file, which every scanner detects as malware and which is harmless. Assembled here so that scanners do
 * not detect any file of this repository.
 */
export const EICAR = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR', 'STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join('-');

/** The name in our own signature; clamd appends that the signature is unofficial. */
export const EICAR_NAME = 'Eicar-Test-Signature';

/** Returns a signature file, to be named `*.ndb`, that matches the test file anywhere in any content. */
export function eicarSignatureFile(): string {
  return `${EICAR_NAME}:0:*:${Buffer.from(EICAR, 'latin1').toString('hex')}\n`;
}
