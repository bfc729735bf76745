import { wholly } from '@supplier/lib/text/visible';
import type { Approval, ApprovalLine } from '@supplier/proto/approval/v1/approval';
import { ScrollRegion } from '../components/scroll-region.tsx';

const NOTHING = <em>nothing</em>;

/**
 * Shows every value of an action, before and after in separate cells. Invisible characters are escaped, and nothing is
 * truncated.
 */
export function ApprovalLines({ approval: { lines, argumentsJson } }: { readonly approval: Approval }) {
  if (lines.length === 0)
    return (
      <p>
        Requested in an earlier release: <code className="whole">{wholly(argumentsJson)}</code>
      </p>
    );
  return (
    <ScrollRegion className="rules" label="Requested action">
      <table className="table" aria-label="Values">
        <thead>
          <tr>
            <th scope="col">what</th>
            <th scope="col">as it is</th>
            <th scope="col">as it is to be</th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line, place) => (
            // Two lines with the same name must both be shown.
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no id, and never move
            <Line key={place} line={line} />
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

function Line({ line: { name, before, after } }: { readonly line: ApprovalLine }) {
  const what = <th scope="row">{wholly(name)}</th>;
  if (after === undefined || before === after)
    return (
      <tr>
        {what}
        <td colSpan={2}>
          <Value text={before ?? ''} /> <small>stays</small>
        </td>
      </tr>
    );
  return (
    <tr>
      {what}
      <td>{before === undefined ? '' : <Value text={before} />}</td>
      <td>
        <Value text={after} />
      </td>
    </tr>
  );
}

const Value = ({ text }: { readonly text: string }) =>
  text === '' ? NOTHING : <code className="whole">{wholly(text)}</code>;
