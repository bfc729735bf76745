import { InvalidArgumentError } from 'commander';

const MAX_SECONDS = 900;

/** Parses a whole number of seconds from 1 to 900. */
export function seconds(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > MAX_SECONDS)
    throw new InvalidArgumentError(`It must be from 1 to ${MAX_SECONDS} seconds.`);
  return value;
}
