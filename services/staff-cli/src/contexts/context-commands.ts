import { type Command, Option } from 'commander';
import { formatOf } from '../output/format.ts';
import { writeTable } from '../output/write-answer.ts';
import { serviceNames } from '../services.ts';
import type { CommonFlags, Surroundings } from '../session.ts';
import type { ContextFlags } from './edit-context.ts';

// Loaded lazily: schemas take a while.
const load = () => import('./context-file.ts');

/** Adds `sss contexts`: the environments of the configuration file. */
export function addContextCommands(program: Command, { settings, terminal }: Surroundings): void {
  const contexts = program
    .command('contexts')
    .description('environments that --context names: where their services answer, and how they are trusted')
    .usage('<verb> [arguments] [flags]')
    .helpCommand(false);
  contexts
    .command('add')
    .argument('<NAME>')
    .summary('Adds an environment, or changes what the flags state of one.')
    .description(
      'Adds an environment, or changes what the flags state of one and leaves the rest as it was. What is stated is of all services; with --service, of that one alone. With --kube, kubectl forwards to the services. The first one that is added becomes the current one.',
    )
    .addOption(
      new Option('--service <name>', 'the flags are of this service alone').choices([...serviceNames]),
    )
    .option('--url <url>', 'where services answer; {service} stands for the name of each')
    .option(
      '--tls-server-name <name>',
      'the name in the certificate of the server, where its address has another',
    )
    .option('--ca <file>', 'PEM: the authority of the servers, where the machine does not know it')
    .option('--client-certificate <file>', 'PEM: presented to services that ask for one')
    .option('--client-key <file>', 'PEM: its key')
    .option('--login-issuer <url>', 'for `sss login`: the identity provider')
    .option('--login-client-id <id>', 'for `sss login`: what sss is called there')
    .option('--login-scope <scope>', 'for `sss login`')
    .option('--login-audience <name>', 'for `sss login`')
    .addHelpText(
      'after',
      '\nExample:\n  sss contexts add staging --url https://{service}.staging.example:8443 --ca staging-ca.pem --client-certificate me.pem --client-key me-key.pem',
    )
    .action(async (name: string, _: unknown, command: Command) =>
      terminal.note((await load()).addContext(name, command.optsWithGlobals<ContextFlags>(), settings)),
    );
  contexts
    .command('list')
    .description('Lists the environments of the configuration.')
    .addHelpText('after', '\nExample:\n  sss contexts list')
    .action(async (_: unknown, command: Command) => {
      const listed = (await load()).listContexts(settings);
      const table = {
        heads: ['CONTEXT', 'CURRENT', 'REACHES'],
        rows: listed.map(({ context, current, reaches }) => [context, current ? 'yes' : 'no', reaches]),
      };
      const json = { contexts: listed.map((one) => ({ ...one })) };
      writeTable(
        json,
        { text: table, csv: table },
        formatOf(command.optsWithGlobals<CommonFlags>()),
        terminal,
      );
    });
  contexts
    .command('use')
    .argument('<NAME>')
    .description('Makes an environment the current one: commands go there unless they say otherwise.')
    .addHelpText('after', '\nExample:\n  sss contexts use staging')
    .action(async (name: string) => {
      (await load()).useContext(name, settings);
      terminal.note(`commands go to ${name} now`);
    });
  contexts
    .command('remove')
    .argument('<NAME>')
    .description('Forgets an environment, and the token of `sss login` for it.')
    .addHelpText('after', '\nExample:\n  sss contexts remove staging')
    .action(async (name: string) => {
      (await load()).removeContext(name, settings);
      terminal.note(`forgot the context ${name}`);
    });
}
