"""Prints name, width and height in um, and number of pins, of each macro of LEF files, as KLayout reads them."""
import sys
import klayout.db as db

for path in sys.argv[1:]:
    configuration = db.LEFDEFReaderConfiguration()
    configuration.cell_outline_layer = "OUTLINE"
    options = db.LoadLayoutOptions()
    options.lefdef_config = configuration
    layout = db.Layout()
    layout.read(path, options)
    layers = {layout.get_info(index).name: index for index in layout.layer_indexes()}
    labels = [index for name, index in layers.items() if name.endswith(".LABEL")]
    for cell in layout.each_cell():
        box = cell.dbbox(layers["OUTLINE"])
        pins = {shape.text_string for layer in labels for shape in cell.shapes(layer).each() if shape.is_text()}
        print(cell.name, box.width(), box.height(), len(pins))
