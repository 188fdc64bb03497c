// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {ERC20} from "solmate/src/tokens/ERC20.sol";
import {ERC4626} from "solmate/src/tokens/ERC4626.sol";
import {ERC721} from "solmate/src/tokens/ERC721.sol";
import {ERC1155} from "solmate/src/tokens/ERC1155.sol";
import {WETH} from "solmate/src/tokens/WETH.sol";

contract Asset is ERC20("Asset", "AST", 6) {
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }
}

/// Reverts on a change of a non-zero allowance, as Tether's token does.
contract StrictAsset is ERC20("Strict", "STR", 6) {
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function approve(address spender, uint256 amount) public override returns (bool) {
        require(amount == 0 || allowance[msg.sender][spender] == 0);
        return super.approve(spender, amount);
    }
}

/// Reverts on an approval of zero, as BNB's token does, and on any approval once it is frozen.
contract ZeroShyAsset is ERC20("ZeroShy", "ZRO", 6) {
    bool private frozen;

    function freeze() external {
        frozen = true;
    }

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function approve(address spender, uint256 amount) public override returns (bool) {
        require(amount != 0, "zero");
        require(!frozen, "frozen");
        return super.approve(spender, amount);
    }
}

contract Vault is ERC4626 {
    constructor(ERC20 asset_) ERC4626(asset_, "Vault", "V") {}

    function totalAssets() public view override returns (uint256) {
        return asset.balanceOf(address(this));
    }
}

contract Wrapped is WETH {}

contract Receipts is ERC721("R", "R") {
    function mint() external {
        _safeMint(msg.sender, 1);
    }

    function tokenURI(uint256) public pure override returns (string memory) {
        return "";
    }
}

contract Badges is ERC1155 {
    function mint() external {
        _mint(msg.sender, 1, 5, "");
        uint256[] memory two = new uint256[](2);
        (two[0], two[1]) = (2, 3);
        _batchMint(msg.sender, two, two, "");
    }

    function uri(uint256) public pure override returns (string memory) {
        return "";
    }
}

/// Records its caller's properties and calls it back.
contract Prober {
    error Refused(uint256 code, string why);

    address public lastCaller;
    uint256[] private written;

    receive() external payable {}

    function who() external payable returns (address, address, uint256) {
        lastCaller = msg.sender;
        return (msg.sender, tx.origin, msg.value);
    }

    function sendBack(uint256 amount) external {
        (bool ok,) = msg.sender.call{value: amount}("");
        require(ok, "not taken");
    }

    /// Calls the caller with any data and returns its result.
    function callBack(bytes calldata data) external returns (bool ok, bytes memory answer) {
        (ok, answer) = msg.sender.call(data);
    }

    function accepts(bytes32 hash, bytes calldata signature) external view returns (bool) {
        (bool ok, bytes memory answer) =
            msg.sender.staticcall(abi.encodeCall(IERC1271.isValidSignature, (hash, signature)));
        return ok && answer.length >= 32 && bytes4(answer) == IERC1271.isValidSignature.selector;
    }

    function refuse() external pure {
        revert Refused(7, "closed");
    }

    function burn() external pure {
        while (true) {}
    }

    function bomb(bool ok) external pure {
        assembly {
            mstore(0, 1)
            if ok { return(0, 1000000) }
            revert(0, 1000000)
        }
    }

    /// Fills storage and clears it again for a gas refund.
    function write(uint256 count) external {
        for (uint256 i; i < count; ++i) written.push(i + 1);
    }

    function clear() external {
        delete written;
    }
}

/// Stand-in for Arbitrum's precompile.
contract ArbSys {
    function arbBlockNumber() external pure returns (uint256) {
        return 400_000_000;
    }
}
