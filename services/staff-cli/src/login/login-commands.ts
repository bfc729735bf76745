import { visible } from '@supplier/lib/text/visible';
import type { Command } from 'commander';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import { formatOf } from '../output/format.ts';
import { writeJson } from '../output/write-answer.ts';
import { serviceNames } from '../services.ts';
import type { CommonFlags, Surroundings } from '../session.ts';
import { resolveContext } from '../where/context.ts';
import { claimsOf, findToken } from '../where/token.ts';
import { forgetToken, storeToken } from '../where/token-store.ts';

/** Adds `login`, `logout` and `whoami`. */
export function addLoginCommands(program: Command, surroundings: Surroundings): void {
  const { settings, terminal, now, signal } = surroundings;

  program
    .command('login')
    .description('gets a token from the issuer of the environment, by a code that is confirmed in a browser')
    .action(async (_: unknown, command: Command) => {
      const context = await resolveContext(command.optsWithGlobals<CommonFlags>(), settings);
      if (!context.login)
        throw new CommandFailure(
          exitCodes.usage,
          `${context.name} does not say where to log in: its "login" in the configuration names issuer and clientId`,
        );
      // Loaded lazily, because only this command needs it.
      const { logIn } = await import('./device-flow.ts');
      const token = await logIn(
        context.login,
        ({ url, code, within }) => {
          terminal.note(
            `Open ${visible(url)} within ${Math.round(within / 60)} minutes and confirm the code`,
          );
          terminal.note(`  ${visible(code)}`);
        },
        signal,
      );
      const { subject, roles, endsAt } = claimsOf(token);
      storeToken(settings.folder, context.key, token);
      const until = endsAt ? ` until ${endsAt.toISOString()}` : '';
      terminal.note(
        `logged in to ${context.name} as ${visible(subject)} (${roles.map(visible).join(', ')})${until}`,
      );
    });

  program
    .command('logout')
    .description('forgets the token that `sss login` got for the environment')
    .action(async (_: unknown, command: Command) => {
      const context = await resolveContext(command.optsWithGlobals<CommonFlags>(), settings);
      const had = forgetToken(settings.folder, context.key);
      terminal.note(had ? `logged out of ${context.name}` : `nobody was logged in to ${context.name}`);
    });

  program
    .command('whoami')
    .description('shows where commands go, and what the token says of whom they come from')
    .action(async (_: unknown, command: Command) => {
      const flags = command.optsWithGlobals<CommonFlags>();
      const context = await resolveContext(flags, settings);
      const { token, source } = findToken(context, flags.tokenFile, settings, now());
      const { subject, issuer, roles, audiences, endsAt } = claimsOf(token);
      const facts = {
        context: context.name,
        subject,
        roles: [...roles],
        issuer,
        audiences: [...audiences],
        ends_at: endsAt?.toISOString() ?? 'never',
        token_from: source,
        services: Object.fromEntries(serviceNames.map((name) => [name, context.services[name].address])),
      };
      const format = formatOf(flags);
      if (format.kind === 'csv')
        throw new CommandFailure(exitCodes.usage, '`sss whoami` is no table, and has no CSV: use --json');
      if (format.kind === 'json' || format.get !== undefined) return writeJson(facts, format, terminal);
      terminal.lines([
        `context     ${facts.context}`,
        `subject     ${visible(subject)}`,
        `roles       ${roles.map(visible).join(', ')}`,
        `issuer      ${visible(issuer)}`,
        `audiences   ${audiences.map(visible).join(', ')}`,
        `ends_at     ${facts.ends_at}`,
        `token_from  ${source}`,
        ...serviceNames.map((name) => `${name.padEnd(10)}  ${context.services[name].address}`),
      ]);
    });
}
