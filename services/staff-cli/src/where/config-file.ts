import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { CommandFailure, exitCodes } from '../exit-codes.ts';

const url = z.url({ protocol: /^https?$/ });

/** How to log in by OAuth's device flow. */
export const loginSchema = z.strictObject({
  /** Where the issuer's metadata are found. */
  issuer: url,
  clientId: z.string().min(1),
  scope: z.string().min(1).optional(),
  /** For whom tokens are meant, where the issuer wants to be told. */
  audience: z.string().min(1).optional(),
});
export type Login = z.infer<typeof loginSchema>;

const contextSchema = z.strictObject({
  /** Where each service answers gRPC. */
  services: z.strictObject({
    account: url,
    submission: url,
    document: url,
    billing: url,
    webhook: url,
  }),
  /** PEM files: which authority is believed, and what is presented. */
  authority: z.string().min(1).optional(),
  certificate: z.string().min(1).optional(),
  key: z.string().min(1).optional(),
  login: loginSchema.optional(),
});

const fileSchema = z.strictObject({
  /** The context that is used when none is named. */
  current: z.string().min(1).optional(),
  contexts: z.record(z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/), contextSchema),
});
export type ConfigFile = z.infer<typeof fileSchema>;

/** Reads `config.json` of the folder; undefined when there is none. Throws CommandFailure for one that cannot be used. */
export function readConfigFile(folder: string): ConfigFile | undefined {
  const path = join(folder, 'config.json');
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new CommandFailure(exitCodes.usage, `${path} cannot be read: ${(error as Error).message}`);
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new CommandFailure(exitCodes.usage, `${path} is no JSON: ${(error as Error).message}`);
  }
  const parsed = fileSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(
    ({ path: at, message }) => `${at.join('.') || 'the file'}: ${message}`,
  );
  throw new CommandFailure(exitCodes.usage, `${path} is not as docs/staff.md describes it`, faults);
}
