/** A setting, a value of it that only a local stack may have (undefined: none at all), and what is said of it. */
export type Loose = readonly [name: string, value: string | undefined, says: string, instead?: Changes];
/** What is set, or left out (undefined), in the place of what a setting brought with it. */
export type Changes = Readonly<Record<string, string | undefined>>;

/** One that may be a plain address. */
export const plain = (name: string, protocol = 'http:'): Loose => [
  name,
  `${protocol}//somewhere:1`,
  `is a plain ${protocol} address`,
];
/** One that may be the address of a database whose certificate nobody checks. */
export const unverified = (name: string): Loose[] =>
  [
    '',
    '?sslmode=require',
    '?sslmode=verify-ca',
    '?sslmode=no-verify',
    '?sslmode=verify-full&sslmode=disable',
  ].map((query) => [name, `postgresql://db/x${query}`, 'lacks sslmode=verify-full']);
