/** A setting, a value that only a local stack may have (undefined: unset), and the message about it. */
export type Loose = readonly [name: string, value: string | undefined, message: string, instead?: Changes];
/** Settings that are added, or removed (undefined), together with a loosened setting. */
export type Changes = Readonly<Record<string, string | undefined>>;

/** Returns a setting that may be an unencrypted URL. */
export const plain = (name: string, protocol = 'http:'): Loose => [
  name,
  `${protocol}//somewhere:1`,
  `is a plain ${protocol} address`,
];
/** Returns a setting that may be the URL of a database without certificate verification. */
export const unverified = (name: string): Loose[] =>
  [
    '',
    '?sslmode=require',
    '?sslmode=verify-ca',
    '?sslmode=no-verify',
    '?sslmode=verify-full&sslmode=disable',
  ].map((query) => [name, `postgresql://db/x${query}`, 'lacks sslmode=verify-full']);
