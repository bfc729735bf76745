const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 10;

/** `APP-` and ten Crockford base32 characters: 50 random bits from `random`, which gives whole numbers below its bound. */
export function newApplicationReference(random: (bound: number) => number): string {
  return `APP-${Array.from({ length: LENGTH }, () => CROCKFORD.charAt(random(CROCKFORD.length))).join('')}`;
}
