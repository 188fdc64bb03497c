// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC20 as OpenZeppelinERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC4626 as OpenZeppelinERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import {ERC20 as SolmateERC20} from "solmate/src/tokens/ERC20.sol";
import {ERC4626 as SolmateERC4626} from "solmate/src/tokens/ERC4626.sol";

contract Asset is OpenZeppelinERC20("Asset", "AST") {
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }
}

contract OpenZeppelinVault is OpenZeppelinERC4626 {
    constructor(IERC20 asset_) OpenZeppelinERC20("Vault", "V") OpenZeppelinERC4626(asset_) {}
}

contract SolmateVault is SolmateERC4626 {
    constructor(SolmateERC20 asset_) SolmateERC4626(asset_, "Vault", "V") {}

    function totalAssets() public view override returns (uint256) {
        return asset.balanceOf(address(this));
    }
}

/// Deploys a dozen real vaults and makes a different deposit into each for one user.
contract Fleet {
    Asset public immutable asset = new Asset();
    address[] public vaults;

    function grow(uint256 count, address user) external {
        asset.mint(address(this), type(uint128).max);
        for (uint256 i; i < count; ++i) {
            uint256 index = vaults.length;
            address vault = index % 2 == 0
                ? address(new OpenZeppelinVault(asset))
                : address(new SolmateVault(SolmateERC20(address(asset))));
            // The user has no shares of every third vault.
            open(vault, 1e18 + index * 7, index % 3 == 0 ? address(this) : user);
        }
    }

    /// OpenZeppelin vaults only, with shares of the user in each: 4 to 12 bytes long.
    function growHeld(uint256 count, address user) external {
        asset.mint(address(this), type(uint128).max);
        for (uint256 i; i < count; ++i) {
            uint256 index = vaults.length;
            open(address(new OpenZeppelinVault(asset)), 10 ** (8 + index % 21) + index * 7, user);
        }
    }

    /// Deposits for the owner and gives each vault a different share price.
    function open(address vault, uint256 amount, address owner) private {
        uint256 index = vaults.length;
        vaults.push(vault);
        asset.approve(vault, type(uint256).max);
        OpenZeppelinERC4626(vault).deposit(amount, owner);
        asset.transfer(vault, index * 1e15 + 13);
    }

    function all() external view returns (address[] memory) {
        return vaults;
    }
}

/// Stand-in for Arbitrum's precompile.
contract ArbSys {
    function arbBlockNumber() external pure returns (uint256) {
        return 400_000_000;
    }
}
