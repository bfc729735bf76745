// Runs in the browser, inside the page of a run: draws what plots.ts has described, with uPlot.
(() => {
  const SIZE = { width: 600, height: 300 };
  const plots = JSON.parse(document.getElementById('data').textContent);
  for (const plot of plots) draw(plot);

  function draw(plot) {
    const figure = document.createElement('figure');
    const caption = document.createElement('figcaption');
    caption.textContent = plot.title;
    figure.append(caption);
    document.getElementById('plots').append(figure);
    const isStacked = plot.kind !== 'lines';
    // What is drawn first lies behind: the sum of all comes first.
    const series = isStacked ? cumulated(plot.series).reverse() : plot.series;
    const order = isStacked ? [...plot.series].reverse() : plot.series;
    const options = {
      ...SIZE,
      scales: {
        x: { time: false, range: plot.names ? () => [-0.6, plot.x.length - 0.4] : undefined },
        y: plot.logarithmic ? { distr: 3 } : { range: (_u, _min, max) => [0, (max || 1) * 1.1] },
      },
      axes: [xAxis(plot), { label: plot.yTitle, size: 70 }],
      series: [
        { label: plot.xTitle || ' ', value: (_u, value) => (plot.names ? plot.names[value] : round(value)) },
        ...series.map((line, index) => seriesOptions(plot, line, order[index])),
      ],
    };
    if (plot.kind === 'stacked bars')
      options.hooks = { draw: [(chart) => writeSums(chart, series[0].values)] };
    new uPlot(options, [plot.x, ...series.map(({ values }) => values)], figure);
  }

  function seriesOptions(plot, line, own) {
    const { colour } = own;
    const options = {
      label: line.name,
      stroke: colour,
      width: plot.kind === 'lines' ? 2 : 1,
      value: (_u, _value, _series, index) => (index === null ? '' : round(own.values[index])),
    };
    if (plot.kind === 'stacked bars')
      return {
        ...options,
        fill: colour,
        paths: uPlot.paths.bars({ size: [0.6, 90] }),
        points: { show: false },
      };
    if (plot.kind === 'stacked areas') return { ...options, fill: colour, points: { show: false } };
    return { ...options, points: { show: plot.x.length < 12, size: 7 } };
  }

  /** Above each bar, what all of it comes to. */
  function writeSums(chart, sums) {
    const { ctx } = chart;
    ctx.save();
    ctx.fillStyle = '#1b1f24';
    ctx.textAlign = 'center';
    ctx.textBaseline = 'bottom';
    sums.forEach((sum, index) => {
      ctx.fillText(round(sum), chart.valToPos(index, 'x', true), chart.valToPos(sum, 'y', true) - 4);
    });
    ctx.restore();
  }

  function xAxis(plot) {
    if (!plot.names) return { label: plot.xTitle };
    const splits = () => plot.x;
    const isLong = plot.names.some((name) => name.length > 8);
    const values = () => plot.names.map((name) => name.replaceAll(' ', '\n'));
    return { label: plot.xTitle || undefined, splits, values, size: isLong ? 80 : 50, grid: { show: false } };
  }

  function cumulated(series) {
    const sums = [];
    return series.map(({ name, values }) => ({
      name,
      values: values.map((value, index) => {
        sums[index] = (sums[index] ?? 0) + (value ?? 0);
        return sums[index];
      }),
    }));
  }

  function round(value) {
    if (value === null || value === undefined) return '–';
    return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
  }
})();
