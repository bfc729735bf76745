/** Every package script by name, as far as tests read it. */
export declare const commands: Readonly<Record<string, Command>>;
interface Command {
  readonly help: string;
  readonly program?: string;
  readonly takesOtherFlags?: boolean;
}
export declare function unknownFlag(command: Command, args: readonly string[]): string | undefined;
