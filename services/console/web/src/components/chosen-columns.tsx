import { Checkbox } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { type ReactNode, useMemo } from 'react';
import { type Column, rowHeaderOf } from './column.ts';
import { DropDown } from './drop-down.tsx';

/** Returns the visible columns, which the browser remembers for each list, and the menu that chooses them. */
export function useChosenColumns<Row>(
  label: string,
  columns: readonly Column<Row>[],
): [readonly Column<Row>[], ReactNode] {
  const [changed, setChanged] = useLocalStorage<Record<string, boolean>>({
    key: `columns of ${label}`,
    defaultValue: {},
    getInitialValueInEffect: false,
  });
  const rowHeader = rowHeaderOf(columns);
  const isVisible = ({ name, isOptional = false }: Column<Row>) => changed[name] ?? !isOptional;
  const visible = useMemo(
    () =>
      columns
        .filter((column) => column.name === rowHeader || (changed[column.name] ?? !column.isOptional))
        .map((column) => (changed[column.name] ? { ...column, isMinor: false } : column)),
    [columns, rowHeader, changed],
  );
  const chooser = (
    <DropDown label="Columns" position="bottom-end" button={{ size: 'compact-xs', children: 'Columns' }}>
      {() =>
        columns
          .filter(({ name }) => name !== rowHeader)
          .map((column) => (
            <Checkbox
              key={column.name}
              size="xs"
              mb={6}
              label={column.name}
              checked={isVisible(column)}
              onChange={(event) => setChanged({ ...changed, [column.name]: event.currentTarget.checked })}
            />
          ))
      }
    </DropDown>
  );
  return [visible, chooser];
}
