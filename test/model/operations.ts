import fc from 'fast-check';
import type * as model from './model.ts';
import type { State } from './state.ts';
import { agree, type World } from './world.ts';

/** The transitions; a test replaces one with a wrong one. */
export type Rules = typeof model;

/** The model of one sequence. */
export interface Run {
  readonly rules: Rules;
  state: State;
  steps: number;
}

export type Operation = fc.AsyncCommand<Run, World>;

/** The model and the services before an operation. */
export interface Before {
  readonly rules: Rules;
  readonly state: State;
  readonly world: World;
}

/** An operation with random arguments, after which the services must agree with the model. */
export const operation = <Args>(
  name: string,
  args: fc.Arbitrary<Args>,
  act: (before: Before, args: Args) => Promise<State>,
  applies: (state: State, args: Args) => boolean = () => true,
): fc.Arbitrary<Operation> =>
  args.map((chosen) => ({
    check: ({ state }) => applies(state, chosen),
    async run(run, world) {
      run.steps += 1;
      run.state = await act({ rules: run.rules, state: run.state, world }, chosen);
      await agree(world, run.state);
    },
    toString: () => `${name} ${fc.stringify(chosen)}`,
  }));

/** Chooses one of a list of unknown length. */
export const of = fc.nat(19);

/** An operation on one of the submissions so far. */
export const onSubmission = <Args extends { readonly of: number }>(
  name: string,
  args: fc.Arbitrary<Args>,
  act: (before: Before, at: number, args: Args) => Promise<State>,
): fc.Arbitrary<Operation> =>
  operation(
    name,
    args,
    (before, chosen) => act(before, chosen.of % before.state.submissions.length, chosen),
    ({ submissions }) => submissions.length > 0,
  );
